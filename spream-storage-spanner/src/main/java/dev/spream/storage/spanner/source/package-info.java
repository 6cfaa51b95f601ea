/**
 * The queries of a change stream and the decoding of their rows. Not for users: {@link
 * dev.spream.storage.spanner.SpannerChangeStreamSource} is what they open. Read {@link
 * dev.spream.storage.spanner.source.SpannerChangeStreamCursor} first.
 */
@NullMarked
package dev.spream.storage.spanner.source;

import org.jspecify.annotations.NullMarked;
