package dev.spream.sink.files;

/** The compression of files: of a whole file of lines, or inside of a file of another format. */
enum Compression {
    NONE,
    GZIP,
    DEFLATE,
    ZSTANDARD
}
