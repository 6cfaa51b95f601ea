/**
 * The sink {@code s3}: the files sink in Amazon S3, or in another object store with its API. {@link
 * dev.spream.sink.s3.S3Store} is its store, which programs that read the files open as well. Knows the SPI, the files sink
 * and the client.
 */
@NullMarked
package dev.spream.sink.s3;

import org.jspecify.annotations.NullMarked;
