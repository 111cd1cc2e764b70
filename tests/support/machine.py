"""What tests must not see of the machine they run on."""

# A model server that runs here, at its usual port, is nobody whom a test may ask.
# Nor may it matter whether this machine can make sandboxes: the tests of the sandbox switch it on.
NO_LOCAL_SERVERS = {"AGLS_LOCAL_SERVERS": "false", "AGLS_SANDBOX": "off"}
