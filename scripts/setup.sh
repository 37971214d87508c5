# Sourced by ./run and ./test from the root of the project: makes sure that the tools they need are
# there, installs what the system's package manager can bring, and says what it does.

# need COMMAND PACKAGE: installs PACKAGE later (see install_missing) if COMMAND is not found.
missing=""
need() {
    command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}

# Installs what `need` found missing, with apt-get where it exists.
install_missing() {
    [ -n "$missing" ] || return 0
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "Missing:$missing. Install these packages (or your system's equivalent) and try again." >&2
        exit 1
    fi
    as_root=""
    if [ "$(id -u)" -ne 0 ]; then
        as_root="sudo"
    fi
    echo "Installing system packages:$missing" >&2
    $as_root apt-get update -qq
    # shellcheck disable=SC2086 # a list of packages
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing
    missing=""
}

# need_library NAME PACKAGE: the same for a shared library NAME, looked for where linkers and bindgen look.
need_library() {
    for place in "${LIBCLANG_PATH:-/usr/lib}" /usr/lib /usr/lib64 /usr/local/lib /usr/lib/*-linux-gnu* /usr/lib/llvm*/lib*; do
        for file in "$place/$1.so" "$place/$1"-*.so; do
            [ -e "$file" ] && return 0
        done
    done
    missing="$missing $2"
}

# The packages that building and testing need, one line each.
need_build_packages() {
    need cc build-essential
    need c++ build-essential
    # clingo (answer sets) is built from its C++ source.
    need cmake cmake
    # bindgen reads the headers of nauty (graph automorphisms) with it.
    need_library libclang libclang-dev
}

need_test_packages() {
    need_build_packages
    # The page is tested in a real browser, and the types of its modules are checked.
    need_browser
    need tsc node-typescript
}

# Any of the names under which Chromium is known.
need_browser() {
    for name in chromium chromium-browser google-chrome google-chrome-stable; do
        command -v "$name" >/dev/null 2>&1 && return 0
    done
    missing="$missing chromium"
}

# Rust is not installed behind the user's back: the way to do it differs from system to system.
need_rust() {
    if [ -f "$HOME/.cargo/env" ] && ! command -v cargo >/dev/null 2>&1; then
        . "$HOME/.cargo/env"
    fi
    if ! command -v cargo >/dev/null 2>&1; then
        echo "cargo was not found: install Rust (1.89 or newer) from https://rustup.rs and try again." >&2
        exit 1
    fi
}
