"""Real logs as rows of the same table: stretches that nothing touched, where the folder ANTAEUS_SHARED has them."""


def rows(say):
    return [], [("real logs", "not written yet")]
