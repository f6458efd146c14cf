from modlearn import criteria as criteria
from modlearn._estimators.additive import AdditiveClassifier as AdditiveClassifier
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
from modlearn._jobs.analyze import analyze as analyze
from modlearn._jobs.fit import fit as fit
from modlearn._jobs.overview import TableOverview as TableOverview
from modlearn._jobs.result import FitResult as FitResult
from modlearn._jobs.result import load as load
from modlearn._jobs.unlabeled import UnlabeledRows as UnlabeledRows
from modlearn._model.additive import AdditiveModel as AdditiveModel
from modlearn._model.additive import Explanation as Explanation
from modlearn._model.additive import Term as Term
from modlearn._model.evaluation import DataWarning as DataWarning
from modlearn._model.evaluation import Evaluation as Evaluation
from modlearn._model.grid import Grid as Grid
from modlearn._model.partitions import Groups as Groups
from modlearn._model.partitions import Intervals as Intervals
from modlearn._model.tree import Tree as Tree

__version__: str
