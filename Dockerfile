# For any host that runs containers: docker build -t attention-explorer . && docker run -p 8501:8501 attention-explorer
FROM mambaorg/micromamba:2
COPY --chown=$MAMBA_USER:$MAMBA_USER environment.yml /tmp/environment.yml
RUN micromamba install --yes --name base --file /tmp/environment.yml && micromamba clean --all --yes
ARG MAMBA_DOCKERFILE_ACTIVATE=1
# Only the image's entry point puts this on the path, and a health check starts without it.
ENV PATH=/opt/conda/bin:$PATH
WORKDIR /app
COPY --chown=$MAMBA_USER:$MAMBA_USER . .
EXPOSE 8501
CMD ["streamlit", "run", "streamlit_app.py", "--server.headless", "true", "--server.address", "0.0.0.0"]
