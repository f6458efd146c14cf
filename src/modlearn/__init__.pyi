from modlearn import criteria as criteria
from modlearn._estimate.best_variable import BestBivariateClassifier as BestBivariateClassifier
from modlearn._estimate.best_variable import BestUnivariateClassifier as BestUnivariateClassifier
from modlearn._estimate.discretization import Discretizer as Discretizer
from modlearn._estimate.encoding import Encoder as Encoder
from modlearn._estimate.grouping import Grouper as Grouper
from modlearn._estimate.naive_bayes import NaiveBayesClassifier as NaiveBayesClassifier
from modlearn._estimate.naive_bayes import (
    SelectiveNaiveBayesClassifier as SelectiveNaiveBayesClassifier,
)
from modlearn._estimate.pairs import PairEncoder as PairEncoder
from modlearn._estimate.propagation import (
    LabelDistributionPropagation as LabelDistributionPropagation,
)
from modlearn._estimate.saving import load as load
from modlearn._job.fitting import analyze as analyze
from modlearn._job.fitting import fit as fit

__version__: str
