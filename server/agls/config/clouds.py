"""Models in clouds: from their settings to where they are and what lets requests in."""

from collections.abc import Mapping

from agls.config.model_settings import ModelSettings
from agls.frozen import frozen
from agls.models.catalog.providers import BEDROCK_KEY
from agls.models.clouds.services import dialect_there, url_there
from agls.models.credential import FIXED_KEY, Credential
from agls.models.endpoint import DialectName, Service

REGIONS: Mapping[str, tuple[str, ...]] = {
    "bedrock": ("AWS_REGION", "AWS_DEFAULT_REGION"),
    "vertex": ("GOOGLE_CLOUD_LOCATION", "CLOUD_ML_REGION"),
}
PROJECTS = ("GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT")


@frozen
class Cloud:
    """Where a model is: its dialect and address there. `missing` names the setting that has to be written."""

    service: Service
    dialect: DialectName
    base_url: str
    credential: Credential
    key_variable: str = ""
    missing: str = ""


def cloud_of(
    name: str, entry: ModelSettings, variables: Mapping[str, str], keys: Mapping[str, str]
) -> Cloud | None:
    """The cloud that these settings name."""
    if not entry.service:
        return None
    model = entry.model or name
    dialect = entry.dialect or dialect_there(entry.service, model)
    region = entry.region or _first(variables, REGIONS[entry.service])
    project = entry.project or _first(variables, PROJECTS)
    missing = "" if region else "region"
    if entry.service == "vertex":
        missing = missing or ("" if project else "project")
        from agls.models.clouds.google import google_token  # noqa: PLC0415 - few need it

        variable, credential = "", google_token()
    else:
        from agls.models.clouds.aws import aws_signature  # noqa: PLC0415 - few need it

        variable = entry.api_key_env or (BEDROCK_KEY if keys.get(BEDROCK_KEY) else "")
        credential = FIXED_KEY if variable else aws_signature(region, entry.profile)
    url = entry.base_url or url_there(entry.service, dialect, region, project)
    return Cloud(entry.service, dialect, url, credential, variable, missing)


def _first(variables: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((variables[name] for name in names if variables.get(name)), "")
