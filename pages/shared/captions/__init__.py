"""The pages' sentences about their numbers, each computed from the tensors. One module for each
page. No Streamlit here."""
