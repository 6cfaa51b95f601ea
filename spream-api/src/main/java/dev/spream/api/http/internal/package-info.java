/**
 * What the {@code webhook} sink and the {@code http} sender have in common: calls that end in time, URLs and headers that may be
 * secret, and what servers say of when to come back. For these packages alone: nothing here is kept for others. Read {@link
 * dev.spream.api.http.internal.HttpCalls} first.
 */
@NullMarked
package dev.spream.api.http.internal;

import org.jspecify.annotations.NullMarked;
