from modlearn.schema import free_names, listed, unique_names


def test_names_that_are_free_stay_as_they_are():
    assert free_names(["a", "b"], ["c"]) == ["a", "b"]


def test_a_number_tells_a_name_from_one_that_is_taken_in_any_case():
    assert free_names(["label", "Label"], ["LABEL", "label_1"]) == ["label_2", "Label_3"]


def test_names_differ_in_more_than_upper_and_lower_case():
    assert unique_names(["a", "A", "a_1", "", "a"]) == (
        ["a", "A_2", "a_1", "column3", "a_3"],
        ["A", "a"],
    )


def test_of_many_names_the_first_are_listed_and_the_others_counted():
    assert listed(["a", 1, "c"], 3) == "'a', 1, 'c'"
    assert listed([f"x{i}" for i in range(2_000)], 2) == "'x0', 'x1' and 1,998 more"


def test_long_names_are_cut_in_a_list():
    assert listed(["x" * 5_000, "b", "c"], 2) == f"'{'x' * 75}...', 'b' and 1 more"
