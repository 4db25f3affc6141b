"""How the weights of an SVM are kept while it is trained."""
