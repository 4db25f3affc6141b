"""What users import: thin estimators that validate and delegate."""
