/**
 * The answers to HTTP of a process that runs a subscription (its health, its metrics, and a page that shows its partitions) or
 * the worker of an outbox. Start with {@link dev.spream.cli.http.HttpEndpoints} and {@link
 * dev.spream.cli.http.OutboxEndpoints}, the only ways in. Nothing here changes anything, and no answer contains what changes or
 * entries hold. It knows the cores and the API, and nothing of the commands that use it.
 */
@NullMarked
package dev.spream.cli.http;

import org.jspecify.annotations.NullMarked;
