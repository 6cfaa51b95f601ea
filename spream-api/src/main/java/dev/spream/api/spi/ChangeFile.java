package dev.spream.api.spi;

import java.io.IOException;
import java.io.OutputStream;

/** A file that changes are added to, in order, before it is written. Confined to one thread; holds nothing open. */
public interface ChangeFile {

    /**
     * Adds a change of the same {@linkplain EncodedChange#kind kind}.
     *
     * @return false if it does not fit, so that it and those after it are for another file. The first change fits
     */
    boolean add(EncodedChange change);

    /** Writes the whole file, and leaves the stream open. Safe to repeat. */
    void write(OutputStream out) throws IOException;
}
