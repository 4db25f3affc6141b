"""Search for a penalty on the workers of a Dask cluster, by scikit-learn's search; then predict there."""

import joblib
from dask.distributed import Client
from sklearn.model_selection import GridSearchCV

import weft

WORDS = ["no rain fell", "rain fell", "she saw no rain", "snow fell", "she fell", "no snow fell", "she saw snow"] * 4
TAGS = {"no": "D", "rain": "N", "snow": "N", "she": "P", "fell": "V", "saw": "V"}


def main():
    """Search, and predict."""
    X = [sentence.split() for sentence in WORDS]
    y = [[TAGS[word] for word in sentence] for sentence in X]
    # Threads of this process keep the example quick; Client("tcp://10.0.0.1:8786") joins a cluster.
    with Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address="127.0.0.1:0") as client:
        search = GridSearchCV(weft.Tagger(weft.CRF(), n_jobs=1), {"learner__c2": [0.01, 1.0]}, cv=3)
        with joblib.parallel_config("dask", client=client):
            search.fit(X, y)
        print("best:", search.best_params_)
        parts = weft.scale.Examples.from_lists(X, y, n_parts=4)
        accuracy = weft.scale.evaluate(search.best_estimator_, parts, weft.metrics.token_accuracy, client)
        print(f"{len(weft.scale.predict(search.best_estimator_, parts, client))} parts, accuracy {accuracy:.2f}")


if __name__ == "__main__":
    main()
