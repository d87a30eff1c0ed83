"""bigdna from Python: models as objects, answers as NumPy arrays.

    import bigdna
    model = bigdna.load("human-chr20-chrX")
    answer = model.predict(["ACGT" * 4000])
    answer.values          # float32 [sequences, outputs]
    answer.outputs         # the names of the outputs
    model.variants("calls.vcf", "hg19.fa", features="CTCF*", effects="LOGIT")
    model.explain(regions=[("20", 55921615, 55921665)], genome="hg19.fa", features="CTCF|GM12878")

Each call runs the command of the same name, reads its table and gives the command's numbers: text with six significant digits of a
prediction, more of an effect. What the command warns of is a Python warning, and what ends it is raised as Error with its message.
"""
from ._model import Model, load
from ._program import Error, program, run
from ._table import Table

__all__ = ["Error", "Model", "Table", "load", "program", "run"]
