/**
 * A small HTTP server for the services among the examples: {@link dev.spream.examples.http.JsonServer} has a virtual
 * thread for each request, and is built on the JDK and Gson alone. {@link dev.spream.examples.http.Parts} closes the
 * parts of a service.
 */
@NullMarked
package dev.spream.examples.http;

import org.jspecify.annotations.NullMarked;
