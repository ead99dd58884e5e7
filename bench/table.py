"""A table of figures, each beside its baseline and what we aim for."""


def tell(what, baseline, ours, ratio="", target="", is_met=None):
    """A line of the table: a figure, its baseline, and whether it is what we aim for."""
    verdict = {None: "", True: "met", False: "MISSED"}[is_met]
    print(("%-34s %12s %12s %9s   %-12s %s" % (what, baseline, ours, ratio, target, verdict)).rstrip(), flush=True)


def tell_ratio(what, baseline, ours, ratio, target=None):
    tell(what, baseline, ours, "%.2f x" % ratio, ">= %g x" % target if target else "",
         ratio >= target if target else None)
