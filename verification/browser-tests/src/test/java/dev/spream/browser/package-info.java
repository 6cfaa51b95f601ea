/**
 * The live page, seen through a real browser. {@link dev.spream.browser.LivePageIT} is where to begin: processes of the
 * command line run as users start them, and what the page shows is compared with what the process answers and with what the
 * emulator did. {@link dev.spream.browser.PageStatesIT} shows the page what is hard to make happen. Chromium and its driver
 * have to be there.
 */
@NullMarked
package dev.spream.browser;

import org.jspecify.annotations.NullMarked;
