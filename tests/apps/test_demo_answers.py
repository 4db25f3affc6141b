import weft
from weft.apps.demo_answers import BUNDLED, INVENTED, Answers


def test_answers_of_a_process_without_the_compiler_are_those_of_compiled_loops(capsys):
    answers = Answers()
    answers.wait()
    answers.show()
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 90
    for word, [(output, probability)] in zip(INVENTED, weft.load(BUNDLED).predict_kbest(INVENTED, 1), strict=True):
        [row] = [line.split() for line in shown.splitlines() if line.split()[:1] == [word]]
        assert row == [word, *output, f"{100 * probability:.0f}", "%"]
