package dev.spream.sink.files;

/** The compression of whole files. */
enum Compression {
    NONE(""),
    GZIP(".gz");

    private final String extension;

    Compression(String extension) {
        this.extension = extension;
    }

    String extension() {
        return extension;
    }
}
