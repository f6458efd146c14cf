from modlearn import criteria as criteria
from modlearn._estimators.best_variable import BestBivariateClassifier as BestBivariateClassifier
from modlearn._estimators.best_variable import BestUnivariateClassifier as BestUnivariateClassifier
from modlearn._estimators.discretization import Discretizer as Discretizer
from modlearn._estimators.encoding import Encoder as Encoder
from modlearn._estimators.grouping import Grouper as Grouper
from modlearn._estimators.naive_bayes import NaiveBayesClassifier as NaiveBayesClassifier
from modlearn._estimators.naive_bayes import (
    SelectiveNaiveBayesClassifier as SelectiveNaiveBayesClassifier,
)
from modlearn._estimators.pairs import PairEncoder as PairEncoder
from modlearn._estimators.propagation import (
    LabelDistributionPropagation as LabelDistributionPropagation,
)
from modlearn._estimators.saving import load as load
from modlearn._jobs.fit import analyze as analyze
from modlearn._jobs.fit import fit as fit

__version__: str
