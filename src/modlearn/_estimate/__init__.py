"""Stage 6: scikit-learn estimators; fit runs the stages, transform applies the model."""
