/**
 * The sink {@code gcs}: the files sink in Google Cloud Storage. {@link dev.spream.sink.gcs.GcsStore} is its store, which
 * programs that read the files open as well. Knows the SPI, the files sink and the client.
 */
@NullMarked
package dev.spream.sink.gcs;

import org.jspecify.annotations.NullMarked;
