/** Tests of what sinks and senders share of HTTP. */
@NullMarked
package dev.spream.api.http.internal;

import org.jspecify.annotations.NullMarked;
