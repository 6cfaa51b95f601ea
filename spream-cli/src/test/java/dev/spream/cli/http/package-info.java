/** Tests of what is answered to HTTP, and of the files for operators that name its meters. */
@NullMarked
package dev.spream.cli.http;

import org.jspecify.annotations.NullMarked;
