"""Writing predictions to files, databases and lazy frames, and models as SQL, ONNX and PMML."""
