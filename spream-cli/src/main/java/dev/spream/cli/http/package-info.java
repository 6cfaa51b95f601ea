/**
 * What a process that runs a subscription answers to HTTP: whether it is healthy, its metrics, and a page that shows its
 * partitions. Start with {@link dev.spream.cli.http.HttpEndpoints}, the only way in. Nothing here changes anything, and no
 * answer contains what changes hold. It knows the core's ports and nothing of the commands that use it.
 */
@NullMarked
package dev.spream.cli.http;

import org.jspecify.annotations.NullMarked;
