# For any host that runs containers: docker build -t attention-explorer . && docker run -p 8501:8501 attention-explorer
FROM mambaorg/micromamba:2.3.2
COPY --chown=$MAMBA_USER:$MAMBA_USER environment.yml /tmp/environment.yml
RUN micromamba install --yes --name base --file /tmp/environment.yml && micromamba clean --all --yes
ARG MAMBA_DOCKERFILE_ACTIVATE=1
# Only the image's entry point puts this on the path, and the health check starts without it.
ENV PATH=/opt/conda/bin:$PATH
# Models, one folder each: docker run -v /my/models:/models …; one that a reader fetches is kept there.
USER root
RUN install --directory --owner=$MAMBA_USER /models
USER $MAMBA_USER
ENV ATTENTION_MODELS=/models
WORKDIR /app
COPY --chown=$MAMBA_USER:$MAMBA_USER . .
EXPOSE 8501
HEALTHCHECK --interval=10s --timeout=6s --start-period=30s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=5)"]
CMD ["streamlit", "run", "streamlit_app.py", "--server.headless", "true", "--server.address", "0.0.0.0"]
