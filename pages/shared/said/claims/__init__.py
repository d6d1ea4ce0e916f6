"""What the pages say of their numbers: each claim is decided from the tensors. A module for each
page. No Streamlit here."""
