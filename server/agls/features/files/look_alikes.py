"""Characters that look like others, or like nothing, with what they look like."""

LOOK_ALIKES = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′", "'"),
        **dict.fromkeys("“”„‟″", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("\u00a0\u2002\u2003\u2007\u2009\u202f\u3000", " "),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad"),
        **{
            chr(0xFF00 + at - 0x20): chr(at) for at in range(0x21, 0x7F) if not chr(at).isalnum()
        },  # wide forms
        "…": "...",
    }
)
LETTERS = str.maketrans(  # of Cyrillic, Greek and wide alphabets, as the Latin ones that they look like
    "аеорсухіјѕһԁԛԝӏАВЕКМНОРСТУХІЈЅοανιρυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"
    + "".join(chr(0xFF00 + at - 0x20) for at in range(0x21, 0x7F) if chr(at).isalnum()),
    "aeopcyxijshdqwlABEKMHOPCTYXIJSoavipuABEZHIKMNOPTYX"
    + "".join(chr(at) for at in range(0x21, 0x7F) if chr(at).isalnum()),
)
