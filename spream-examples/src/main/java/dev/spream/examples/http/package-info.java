/**
 * A small HTTP server for the services among the examples: {@link dev.spream.examples.http.JsonServer} has a virtual thread for
 * each request, and nothing but the JDK and Gson under it. {@link dev.spream.examples.http.Parts} closes what a service has opened.
 */
@NullMarked
package dev.spream.examples.http;

import org.jspecify.annotations.NullMarked;
