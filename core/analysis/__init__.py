"""What a trace shows when it is measured, compared or changed."""
