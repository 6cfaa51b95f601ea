/**
 * The files sink: changes as immutable files in a folder or an object store, and a log of commits that makes each change
 * count once. {@link dev.spream.sink.files.FilesLog} states the protocol and its argument; read it first. {@link
 * dev.spream.sink.files.ObjectStore} is the port to the place of the files, which other modules implement; {@link
 * dev.spream.sink.files.FilesReader} reads what was written. Knows the ports and records of the core, and the SPI.
 */
@NullMarked
package dev.spream.sink.files;

import org.jspecify.annotations.NullMarked;
