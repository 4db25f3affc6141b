"""Put sentences into languages by their 3-grams, and see which ones speak for a language."""

import weft

SENTENCES = {
    "English": "the cat sleeps on the warm stove | we think that the weather will change | nothing is ever quite right "
    "| where have all the others gone | she thought about the night train | this is what they wanted",
    "German": "die katze schläft auf dem warmen ofen | wir glauben dass sich das wetter ändert | nichts ist jemals "
    "ganz richtig | wohin sind die anderen gegangen | sie dachte an den nachtzug | das ist es was sie wollten",
    "Italian": "il gatto dorme sulla stufa calda | pensiamo che il tempo cambierà | niente è mai del tutto giusto | "
    "dove sono andati tutti gli altri | lei pensava al treno della notte | questo è quello che volevano",
}


def main():
    X = [text for texts in SENTENCES.values() for text in texts.split(" | ")]
    y = [language for language, texts in SENTENCES.items() for _ in texts.split(" | ")]
    kernel = weft.Normalized(weft.NGramKernel(3))
    svc = weft.SequenceSVC(kernel, probability=True, random_state=0).fit(X, y)
    tests = ["the other weather", "das warme wetter", "tutta la notte"]
    for text, language, row in zip(tests, svc.predict(tests), svc.predict_proba(tests), strict=True):
        print(f"{language:8} {row.max():.0%}  {svc.highlight(text)}")
    for language in svc.classes_:
        print(language, [name for name, _ in svc.top_features(language, 6)])
    return svc


if __name__ == "__main__":
    main()
