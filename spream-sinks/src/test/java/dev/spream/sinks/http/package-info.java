/** Tests of webhook and sender over real connections: what they send, and what they make of each way to be answered. */
@NullMarked
package dev.spream.sinks.http;

import org.jspecify.annotations.NullMarked;
