/**
 * HTTP endpoints of a process that runs a subscription (health, metrics, and a page with its partitions) or an outbox
 * worker. Start with {@link dev.spream.cli.http.HttpEndpoints} and {@link dev.spream.cli.http.OutboxEndpoints}, the
 * only entry points. Read-only; responses contain no content of changes or entries. Depends on the cores and the API,
 * not on the commands.
 */
@NullMarked
package dev.spream.cli.http;

import org.jspecify.annotations.NullMarked;
