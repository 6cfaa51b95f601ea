package dev.spream.search.lucene;

import java.util.List;
import java.util.regex.Pattern;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;

/**
 * The query for the text of a search: all of its words, each in any of the searchable fields, the last one also as a
 * prefix. Matches in more important fields score higher.
 */
record QueryText(List<String> fields) {
    private static final Pattern SPACE = Pattern.compile("\\s+");

    Query query(String text) {
        BooleanQuery.Builder all = new BooleanQuery.Builder();
        List<String> parts = SPACE.splitAsStream(text.strip()).toList();
        int asked = 0;
        for (int i = 0; i < parts.size(); i++) {
            List<IndexText.Word> words = IndexText.words(parts.get(i));
            if (!words.isEmpty()) {
                all.add(anyField(words, i == parts.size() - 1), Occur.MUST);
                asked++;
            }
        }
        return asked == 0 ? MatchAllDocsQuery.INSTANCE : all.build();
    }

    private Query anyField(List<IndexText.Word> words, boolean last) {
        BooleanQuery.Builder any = new BooleanQuery.Builder();
        for (int i = 0; i < fields.size(); i++) {
            String field = IndexDocument.searched(fields.get(i));
            any.add(new BoostQuery(together(field, words, last), fields.size() - i), Occur.SHOULD);
        }
        return any.build();
    }

    /** Requires words without a space between them to be adjacent, except for an unfinished last word. */
    private static Query together(String field, List<IndexText.Word> words, boolean last) {
        Query whole = phrase(field, words);
        IndexText.Word end = words.getLast();
        if (!last || end.pair()) {
            return whole;
        }
        BooleanQuery.Builder unfinished = new BooleanQuery.Builder();
        unfinished.add(new PrefixQuery(new Term(field, end.text())), Occur.MUST);
        if (words.size() > 1) {
            unfinished.add(phrase(field, words.subList(0, words.size() - 1)), Occur.MUST);
        }
        return new BooleanQuery.Builder()
                .add(whole, Occur.SHOULD)
                .add(unfinished.build(), Occur.SHOULD)
                .build();
    }

    private static Query phrase(String field, List<IndexText.Word> words) {
        if (words.size() == 1) {
            return new TermQuery(new Term(field, words.getFirst().text()));
        }
        PhraseQuery.Builder phrase = new PhraseQuery.Builder();
        words.forEach(word -> phrase.add(new Term(field, word.text())));
        return phrase.build();
    }
}
