# Sourced by the installers of editors beside it: unpacks Debian packages, with all they need down to the C
# library, into a folder. Needs apt-get and dpkg-deb; not root. The machine's own packages stay untouched.

# where_editors_live: the cache folder, made if it is not there.
where_editors_live() {
  local folder="${AGLS_EDITORS:-${XDG_CACHE_HOME:-$HOME/.cache}/agls-editors}"
  mkdir -p "$folder" || { echo "$0: $folder cannot be made; set AGLS_EDITORS to a folder you may write to" >&2; return 1; }
  (cd "$folder" && pwd)
}

# debian_mirror: where the machine's own apt takes Debian from.
debian_mirror() {
  local named
  named=$(
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | sed -nE 's/^deb[[:space:]]+(\[[^]]*\][[:space:]]*)?([^[:space:]]+).*/\2/p'
    cat /etc/apt/sources.list.d/*.sources 2>/dev/null | sed -n 's/^URIs:[[:space:]]*//p' | tr ' ' '\n'
  ) || true
  named=$(grep -E '/debian/?$' <<<"$named") || { echo "$0: the apt sources of this machine name no Debian mirror" >&2; return 1; }
  head -n 1 <<<"$named"
}

# unpack_debian FOLDER SUITE PACKAGE...: the packages and all they depend on, unpacked into FOLDER.
# An apt with an empty list of installed packages wants to install everything: that is the closure.
unpack_debian() (
  set -euo pipefail
  folder=$1 suite=$2
  shift 2
  for program in apt-get dpkg-deb; do
    command -v "$program" >/dev/null || { echo "$0: there is no $program; this installer needs Debian or Ubuntu" >&2; exit 1; }
  done
  mirror=$(debian_mirror)
  apt=$(mktemp -d)
  trap 'rm -rf "$apt"' EXIT
  mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/none"
  touch "$apt/state/status"
  printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' "$mirror" "$suite" >"$apt/sources.list"
  cat >"$apt/apt.conf" <<CONF
Dir::State "$apt/state";
Dir::State::status "$apt/state/status";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "$apt/none";
Dir::Etc::preferencesparts "$apt/none";
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::Retries "3";
CONF
  export APT_CONFIG="$apt/apt.conf"
  {
    apt-get -q update
    apt-get -q -y --download-only install "$@"
  } >"$apt/log" 2>&1 || { tail -n 5 "$apt/log" >&2; echo "$0: Debian $suite could not be had from $mirror" >&2; exit 1; }
  mkdir -p "$folder"
  for package in "$apt"/cache/archives/*.deb; do dpkg-deb -x "$package" "$folder"; done
)

# own_libraries FOLDER PROGRAM...: the programs in FOLDER start with the loader and the libraries of FOLDER, so they
# run whatever the machine has. FOLDER may not be moved afterwards. FOLDER must hold the package patchelf.
own_libraries() (
  set -euo pipefail
  folder=$1
  shift
  loader=$(find "$folder/usr/lib64" "$folder/usr/lib" -maxdepth 1 -name 'ld-linux*.so.*' 2>/dev/null | head -n 1)
  libraries=$(dirname "$(find "$folder/usr/lib" -maxdepth 2 -name libc.so.6 | head -n 1)")
  for program in "$@"; do
    "$loader" --library-path "$libraries" "$folder/usr/bin/patchelf" \
      --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$program"
  done
)
