from modlearn._job.names import free_names


def test_names_that_are_free_stay_as_they_are():
    assert free_names(["a", "b"], ["c"]) == ["a", "b"]


def test_a_number_tells_a_name_from_one_that_is_taken_in_any_case():
    assert free_names(["label", "Label"], ["LABEL", "label (2)"]) == ["label (3)", "Label (4)"]
