/**
 * The queries of a change stream and the decoding of their rows. Internal to this module: users open a {@link
 * dev.spream.storage.spanner.SpannerChangeStreamSource}. Read {@link
 * dev.spream.storage.spanner.source.SpannerChangeStreamCursor} first.
 */
@NullMarked
package dev.spream.storage.spanner.source;

import org.jspecify.annotations.NullMarked;
