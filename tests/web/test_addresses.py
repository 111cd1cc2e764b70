"""What an address means, and which are refused: every form means one host, or nothing."""

import pytest

from agls.web_address import AddressRefused, is_public, moved, web_address

pytestmark = [pytest.mark.row(37)]

MEANT = {
    "https://example.com": "https://example.com/",
    "HTTPS://Example.COM/A?b=C#d": "https://example.com/A?b=C",
    "https://example.com.": "https://example.com/",
    "https://example.com:443/x": "https://example.com/x",
    "http://example.com:80": "http://example.com/",
    "http://example.com:8080/x": "http://example.com:8080/x",
    "https://example.com?q=1": "https://example.com/?q=1",
    "https://a_b.example.com/": "https://a_b.example.com/",
    "https://example.com/a%20b%2Fc": "https://example.com/a%20b%2Fc",
    "https://example.com/ä?ö=ü": "https://example.com/%C3%A4?%C3%B6=%C3%BC",
    "https://bücher.example/": "https://xn--bcher-kva.example/",
    "https://straße.example/": "https://xn--strae-oqa.example/",
    "https://ｅｘａｍｐｌｅ.com/": "https://example.com/",
    "http://93.184.216.34/": "http://93.184.216.34/",
    "http://１２７.０.０.１/": "http://127.0.0.1/",
    "http://[::1]/": "http://[::1]/",
    "http://[0:0:0:0:0:ffff:127.0.0.1]:8080/": "http://[::ffff:7f00:1]:8080/",
    "http://[2606:4700::1111]/": "http://[2606:4700::1111]/",
    "https://example.com/@user:pass@evil.example": "https://example.com/@user:pass@evil.example",
    "https://example.com/x#@evil.example/": "https://example.com/x",
}
REFUSED = [
    "", "example.com", "//example.com/", "https:", "https://", "https:///path", "https://?q", "https://#x",
    "file:///etc/passwd", "FILE://localhost/etc/passwd", "ftp://example.com/", "data:text/html,x",
    "javascript:alert(1)", "gopher://example.com/", "view-source:https://example.com/",
    "blob:https://example.com/",
    "ws://example.com/", "unix:///run/docker.sock",
    "https://user@example.com/", "https://user:pass@example.com/", "https://example.com@127.0.0.1/",
    "https://@example.com/", "https://example.com:80@evil.example/", "http://127.0.0.1:80\\@example.com/",
    "https://example.com\\@evil.example/", "https://exam\0ple.com/", "https://example.com\0.evil.example/",
    "https://example.com/\r\nHost: evil",
    "https://exa\tmple.com/", "https://example.com/a b",
    "https://example\u200b.com/", "https://\u202eexample.com/", "https://example.com/\u2028",
    "https://example.com%00.evil.example/", "https://example%2ecom/", "https://127.0.0.1%2f/",
    "http://2130706433/", "http://0x7f000001/", "http://0x7f.0.0.1/", "http://0177.0.0.1/", "http://127.1/",
    "http://127.0.1/", "http://0/", "http://127.0.0.1.5/", "http://256.1.1.1/", "http://1.2.3.0x4/",
    "http://017700000001/", "http://127.0.0.1:22/", "http://example.com:25/", "http://example.com:0/",
    "http://example.com:65536/",
    "http://example.com:+80/", "http://example.com:8 0/", "http://example.com:/x:y:z@",
    "http://[::1/",
    "http://::1/", "http://[::1]x/", "http://[fe80::1%25eth0]/", "http://[fe80::1%eth0]/",
    "http://[::ffff:0x7f.0.0.1]/", "http://[v1.x]/", "http://-example.com/", "http://example-.com/",
    "http://exa mple.com/", "http://.example.com/", "http://example..com/", "http://exa*mple.com/",
    "http://example.com;evil/", "http://(example.com)/", "http://\ud800.example/",
    f"http://{'a' * 64}.example/",
    f"http://{'a.' * 130}example/", f"https://example.com/{'x' * 8_001}", "http://。/", "http://\u3002evil/",
]  # fmt: skip
PRIVATE = [
    "127.0.0.1", "127.255.255.254", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
    "169.254.169.254", "100.64.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.1", "192.0.2.1",
    "198.18.0.1",
    "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::a00:1",
    "64:ff9b:1::1",
    "2002:7f00:1::", "2002:a9fe:a9fe::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0",
    "fec0::1", "ff02::1",
    "2001:db8::1", "2001:0:a00:1::f5ff:fffe", "100::1",
]  # fmt: skip
PUBLIC = ["93.184.216.34", "8.8.8.8", "1.1.1.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]


def test_corpus_has_at_least_eighty_forms() -> None:
    assert len(MEANT) + len(REFUSED) >= 80


@pytest.mark.parametrize(("text", "meant"), MEANT.items())
def test_address_means_one_host(text: str, meant: str) -> None:
    assert web_address(text).text == meant
    assert web_address(meant).text == meant, "what is shown means itself"


@pytest.mark.parametrize("text", REFUSED)
def test_unusual_spelling_of_an_address_is_refused(text: str) -> None:
    with pytest.raises(AddressRefused) as refused:
        web_address(text)
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize("address", PRIVATE)
def test_address_of_a_private_network_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    ("location", "text"),
    [
        ("/b", "https://example.com/b"),
        ("b?c", "https://example.com/x/b?c"),
        ("//other.example/", "https://other.example/"),
        ("http://127.0.0.1/", "http://127.0.0.1/"),
    ],
)
def test_redirect_is_read_from_where_it_stands(location: str, text: str) -> None:
    assert moved(web_address("https://example.com/x/a"), location).text == text


@pytest.mark.parametrize("location", ["file:///etc/passwd", "https://a@b/", "http://[", "javascript:x"])
def test_redirect_to_what_is_no_address_is_refused(location: str) -> None:
    with pytest.raises(AddressRefused):
        moved(web_address("https://example.com/"), location)
