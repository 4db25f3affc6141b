"""Examples of KDE, kernel dependency estimation."""
