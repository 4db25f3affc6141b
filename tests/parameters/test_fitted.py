"""What is there only after fitting, or only with some parameters."""

import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if as their_available_if
from sklearn.utils.validation import check_is_fitted as check_theirs

import weft
from parameter_twins import Ours, Theirs
from weft.parameters import available_if, check_is_fitted, is_fitted


def test_what_is_not_fitted_is_refused_as_by_scikit_learn():
    for attribute in (None, "mean_"):
        with pytest.raises(NotFittedError) as mine:
            check_is_fitted(Ours(), attribute)
        with pytest.raises(NotFittedError) as other:
            check_theirs(Theirs(), attribute)
        assert str(mine.value) == str(other.value)
        fitted = Ours().fit([[0]], [1.0])
        check_is_fitted(fitted, attribute)
        check_theirs(fitted, attribute)
    assert not is_fitted(Ours())
    assert is_fitted(weft.WindowFeatures())
    with pytest.raises(NotFittedError):
        check_is_fitted(fitted, "variance_")


@pytest.mark.parametrize("decorate", [available_if, their_available_if], ids=["ours", "scikit-learn's"])
def test_methods_can_depend_on_parameters(decorate):
    def has(me):
        if me.a == "none":
            raise ValueError("why")
        return me.a

    class Choosy(Ours):
        @decorate(has)
        def extra(self, more):
            """More."""
            return self.a + more

    assert Choosy(1).extra(2) == Choosy.extra(Choosy(1), 2) == 3
    assert Choosy.extra.__doc__ == "More."
    assert "extra" in dir(Choosy(1))
    for a in (0, "none"):
        assert not hasattr(Choosy(a), "extra")
        assert "extra" not in dir(Choosy(a))
        with pytest.raises(AttributeError, match="This 'Choosy' has no attribute 'extra'"):
            Choosy(a).extra(1)
        with pytest.raises(AttributeError):
            Choosy.extra(Choosy(a), 1)
