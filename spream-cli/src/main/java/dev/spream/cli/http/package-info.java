/**
 * HTTP endpoints of a process that runs a subscription or an outbox worker, or shows what others do: health, metrics,
 * and the page. Start with {@link dev.spream.cli.http.HttpEndpoints}, {@link dev.spream.cli.http.OutboxEndpoints} and
 * {@link dev.spream.cli.http.DashboardEndpoints}; a {@link dev.spream.cli.http.Panel} adds a part to the page.
 * Responses contain no content of changes, entries or events, and no keys. Commands exist only with a token. Depends on
 * the cores and the API, not on the commands.
 */
@NullMarked
package dev.spream.cli.http;

import org.jspecify.annotations.NullMarked;
