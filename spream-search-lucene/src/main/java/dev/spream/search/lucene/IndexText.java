package dev.spream.search.lucene;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.cjk.CJKBigramFilter;
import org.apache.lucene.analysis.cjk.CJKWidthFilter;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tokenattributes.TypeAttribute;

/**
 * Divides text into words. Chinese, Japanese and Korean text is divided into pairs of characters; in documents, each
 * single character is a word too, so that a search for one character finds it.
 */
final class IndexText {
    static final Analyzer DOCUMENTS = analyzer(true);

    private static final Analyzer QUERIES = analyzer(false);

    private IndexText() {}

    record Word(String text, boolean pair) {}

    private static Analyzer analyzer(boolean single) {
        return new Analyzer() {
            @Override
            protected TokenStreamComponents createComponents(String field) {
                Tokenizer words = new StandardTokenizer();
                TokenStream lower = new LowerCaseFilter(new CJKWidthFilter(words));
                return new TokenStreamComponents(words, new CJKBigramFilter(lower, CJK, single));
            }

            @Override
            protected TokenStream normalize(String field, TokenStream text) {
                return new LowerCaseFilter(new CJKWidthFilter(text));
            }
        };
    }

    private static final int CJK =
            CJKBigramFilter.HAN | CJKBigramFilter.HIRAGANA | CJKBigramFilter.KATAKANA | CJKBigramFilter.HANGUL;

    /** Returns the words of a part of a search without spaces. */
    static List<Word> words(String text) {
        List<Word> found = new ArrayList<>();
        try (TokenStream words = QUERIES.tokenStream("", text)) {
            CharTermAttribute term = words.addAttribute(CharTermAttribute.class);
            TypeAttribute type = words.addAttribute(TypeAttribute.class);
            words.reset();
            while (words.incrementToken()) {
                found.add(new Word(term.toString(), type.type().equals(CJKBigramFilter.DOUBLE_TYPE)));
            }
            words.end();
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException("text in memory could not be read", e);
        }
    }
}
