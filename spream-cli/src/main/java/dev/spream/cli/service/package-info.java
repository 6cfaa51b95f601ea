/** Parts of long-running commands: signals, HTTP endpoints and tracing. Internal. */
@NullMarked
package dev.spream.cli.service;

import org.jspecify.annotations.NullMarked;
