"""Small recurrent networks that label symbols."""
