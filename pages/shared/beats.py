"""The lecture's beats: what stands on the screen, one idea at a time, and what its speaker may say."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Beat:
    """One screen of a page. `name` is what the page asks for (`lecture.shows`), `title` is its heading.

    The rest is for the speaker alone: what to say, what to ask the class, and the usual wrong answer.
    """

    name: str
    title: str
    say: str
    ask: str
    wrong: str


# One table a page, by its path, in the order of the lecture.
BEATS: dict[str, tuple[Beat, ...]] = {
    "": (
        Beat(
            "question",
            "What does a word mean in its sentence?",
            (
                "A dictionary lists what a word can mean. What it means here, the words around it decide. So let each "
                "word take something over from the others, as “it” does from “cat” in the example on screen."
            ),
            "“The cat left the milk because it was sour.” What does “it” mean, and how do you know?",
            (
                "“The milk, because it is the nearest noun.” Say “full” instead of “sour”, and “it” is the cat. The "
                "other words decide, not the distance."
            ),
        ),
        Beat(
            "looks",
            "Where does each word look?",
            (
                "At the left each word asks, at the right each is asked. The thicker the line, the more attention it gets. "
                "Let the class choose a word, point at it at the left, and read its lines."
            ),
            "Do the lines that leave a word have to go to other words?",
            "“Yes, it looks at the others.” It asks all words, itself included, and may give much to itself.",
        ),
        Beat(
            "picture",
            "The same as a matrix",
            (
                "Each row is a word that asks, each column a word that is asked. The stronger the violet, the more "
                "attention. The numbers behind it are random, not trained: the computation is the real one, who looks "
                "at whom means nothing yet."
            ),
            "Where do you read how the chosen word divides its attention: in its row or in its column?",
            (
                "“In its column.” The column tells how much it gets from each word. The row is what it gives, and adds "
                "up to 1."
            ),
        ),
        Beat(
            "history",
            "Why attention was invented",
            (
                "At the left, the old way: a whole sentence squeezed into one vector. In the middle, 2014: look back "
                "at every word, with weights. At the right, 2017: attention alone, a sentence that looks at itself."
            ),
            "One vector did well for short sentences and badly for long ones. Why?",
            (
                "“It had seen too few long sentences.” More would not cure it: the vector's size is fixed, and fifty "
                "words must fit where five did."
            ),
        ),
        Beat(
            "map",
            "The whole computation in seven steps",
            (
                "This is all of it, seven steps as a chain. Each picture holds the real numbers of our sentence, with "
                "its shape. We go through it once, step by step, and follow one pair of words."
            ),
            "The sentence gets longer. Which matrices grow in both directions?",
            (
                "“All of them.” Most only get more rows, one for each word. Scores and weights, ω and α, get a row and "
                "a column for each."
            ),
        ),
    ),
    "vocabulary": (
        Beat(
            "question",
            "How can a computer multiply words?",
            (
                "A network adds and multiplies numbers, and it can do nothing else. So before anything else each word "
                "needs a number."
            ),
            "How would you turn a word into a number?",
            (
                "“Count its letters, or add them up with A as 1 and B as 2.” Then words of like spelling get like "
                "numbers, and spelling says little about meaning."
            ),
        ),
        Beat(
            "words",
            "The sentence above, the vocabulary below",
            (
                "Above is the sentence in its own order. Below is the vocabulary: each different word once, sorted. "
                "The number above a word is its position, from 1; the number below a vocabulary word is its id, from "
                "0."
            ),
            "Does the id say where in the sentence a word stands?",
            (
                "“Yes, the words are numbered one after the other.” The id is a place in the sorted list. The position "
                "is the number at the top."
            ),
        ),
        Beat(
            "chosen",
            "One word, its places, its id",
            (
                "This is the word that we follow: its position in the sentence, and its place in the sorted list, the "
                "id. A word that occurs twice has two positions and one id."
            ),
            "I add a word that the sentence does not have yet. Which ids can change?",
            (
                "“None, the new word just gets the next number.” The list is sorted: every word that comes after the "
                "new one moves up by one."
            ),
        ),
        Beat(
            "code",
            "The same as code",
            (
                "Three functions: cut the sentence up, sort the different tokens, look up each token's place. Read the "
                "middle one from the inside out: set drops repetitions, sorted puts the rest in order."
            ),
            "Why is set not enough? Why sort as well?",
            (
                "“So that words are found faster.” A set has no fixed order: without sorting, a word could have "
                "another id in the next run."
            ),
        ),
        Beat(
            "why",
            "Where do real vocabularies come from?",
            (
                "Our vocabulary is this one sentence. A real model has a fixed list of 30,000 to 250,000 pieces of "
                "words, made once from a large text. What follows is computed in the same way."
            ),
            "The list is fixed. What becomes of a word that is not in it?",
            (
                "“It is skipped, or becomes unknown.” The list holds pieces of words, down to very short ones: the "
                "word is put together from several of them."
            ),
        ),
    ),
    "embedding": (
        Beat(
            "question",
            "What does an id know about its word?",
            (
                "The id is a place in a sorted list, nothing more. Neighbours in that list need not have anything in "
                "common."
            ),
            "Ids are numbers. Why not compute with them directly?",
            "“That would do.” Then the word with id 4 would be twice the word with id 2, and that means nothing.",
        ),
        Beat(
            "lookup",
            "The id picks a row",
            (
                "Left is the table: one row of d_model numbers for each word of the vocabulary. Right are the rows "
                "that our sentence looks up, in its order. The marked row on the left is copied to the marked row on "
                "the right."
            ),
            "A word stands in the sentence twice. How do its two rows on the right differ?",
            (
                "“A little, because it stands in two places.” Not at all: one id, one row, copied twice. Nothing here "
                "knows the place yet."
            ),
        ),
        Beat(
            "positions",
            "Where a word stands",
            (
                "With positions on, each place has a row of numbers too: the row looked up plus the place's row is X. "
                "With positions off, nothing is added, and X is the rows as they were looked up."
            ),
            "“dog bites man” and “man bites dog” look up the same rows. What tells the network that they differ?",
            (
                "“The order of the rows.” Attention adds up over the words, and a sum does not notice order. Positions "
                "must be added, or a mask set."
            ),
        ),
        Beat(
            "product",
            "The lookup as a multiplication",
            (
                "At the left, each word is a row of zeros with a single 1 at its id. Above is the table. Where row and "
                "column cross, all products but one are zero, so one number of the table comes out."
            ),
            "It gives the same numbers as the lookup. Why write it as a multiplication at all?",
            (
                "“Because it is faster.” It is slower, nearly every product is zero. It shows that the table is a "
                "weight matrix, learned like any other."
            ),
        ),
        Beat(
            "code",
            "The same as a formula and as code",
            (
                "The code is one pair of brackets: the table, indexed with the list of ids. The table is random here; "
                "training would change it until words that are used alike have rows that are alike."
            ),
            "How many rows does table[ids] have: as many as the table, or as many as the sentence has words?",
            (
                "“As many as the table.” One row for each id in the list, so one for each word of the sentence, "
                "repetitions included."
            ),
        ),
    ),
    "projection": (
        Beat(
            "question",
            "How can one word play three parts?",
            (
                "Each word asks, is asked, and answers: query, key, value. All three are made from its one vector x, "
                "each by a matrix of its own. With projections set to none, all three are x itself."
            ),
            "You search on a video site. What is the query, what is a key, what is a value?",
            (
                "“The key is the keyword I type.” What you type is the query. A key is a title it is compared with, a "
                "value the video behind that title."
            ),
        ),
        Beat(
            "vectors",
            "One word's vector, one column of the matrix",
            (
                "The upper row is the vector x of the word that we follow. The lower row is one column of the matrix, "
                "laid on its side, so that number stands under number."
            ),
            "How many numbers are in each of the two rows, and which of our sizes is that?",
            (
                "“d_k, as many as the result has.” It is d_model, the length of x. d_k or d_v says how many such "
                "columns the matrix has."
            ),
        ),
        Beat(
            "products",
            "Number times number",
            (
                "The row “= product” is new: each number of x times the number below it. The colours show the sign: teal is "
                "below zero, rust above. Within a row, the deeper the colour, the further from zero."
            ),
            "Does the largest product always stand under the largest number of x?",
            (
                "“Yes, large numbers make large products.” A large number times almost zero is almost zero. Both rows "
                "count."
            ),
        ),
        Beat(
            "sum",
            "Their sum is one number of the new vector",
            (
                "Add the products up, and one number is left. If biases are on, one more number is added to it. This "
                "is one place of the word's new vector."
            ),
            "How much of the new vector do we have now?",
            "“All of it.” One number: one column of the matrix gives one number, and there are many columns.",
        ),
        Beat(
            "row",
            "Every column: the word's whole new vector",
            (
                "Now as a matrix product: X at the left, the matrix above, the result where they cross. The same row "
                "of X meets every column, and that fills one row of the result."
            ),
            "Which other words did we need for this row?",
            (
                "“All of them, it is attention after all.” None: only the word's own row of X. Words meet for the "
                "first time in the next step."
            ),
        ),
        Beat(
            "matrix",
            "Every word at once",
            (
                "Every row of X meets the same columns. That is all a matrix product is: what we did for one word, for "
                "all at once."
            ),
            "The sentence becomes twice as long. How large is the matrix above then?",
            "“Twice as large.” As large as before: d_model rows, d_k or d_v columns. All words share it.",
        ),
        Beat(
            "all",
            "Queries, keys and values of every word",
            (
                "Three matrices, all from the same X. The framed rows are the ones that we follow: the query of the word "
                "that asks, the key and the value of the word that is asked."
            ),
            "Which two of the three must have rows of the same length, and why?",
            (
                "“All three, they come from the same vectors.” Only queries and keys: they are multiplied with each other "
                "in the next step."
            ),
        ),
        Beat(
            "three",
            "Why three different matrices?",
            (
                "What a word looks for, what it is found by and what it has to tell are three different things. So "
                "each gets a matrix of its own."
            ),
            (
                "Suppose queries and keys came from the same matrix. What would hold for the scores of two words with "
                "each other?"
            ),
            (
                "“Nothing in particular, the words are different.” Both scores would be equal: the same two vectors "
                "are multiplied. No word could score high with another without the reverse."
            ),
        ),
        Beat(
            "sizes",
            "Why may d_v differ from d_k?",
            (
                "A query is multiplied with a key, number by number, so both need the same length, d_k. Values are "
                "only weighted and added up, so their length d_v is free."
            ),
            "I change d_v alone. Which matrices on this page change their shape?",
            (
                "“All of them.” Only W_v and V. On later pages the context and W_o follow; the scores and the weights "
                "keep theirs."
            ),
        ),
        Beat(
            "code",
            "The same as a formula and as code",
            (
                "The formula carries the shapes of our setup. Where there are matrices, the code is a single product, "
                "x @ w, the same for queries, keys and values."
            ),
            "Multiply a matrix of words × d_model by one of d_model × d_k. Which size is gone in the result?",
            "“d_k, the last one.” The inner one, d_model: that is the size we summed over on the board.",
        ),
    ),
    "scores": (
        Beat(
            "question",
            "How well does a question fit a key?",
            (
                "Each word now has a query and a key. For each pair we want one number: how well the query of the one "
                "fits the key of the other."
            ),
            "How many scores does one head compute for our sentence?",
            (
                "“One for each pair of different words.” Number of words times number of words: each word asks every "
                "word, itself too, and who asks whom matters."
            ),
        ),
        Beat(
            "vectors",
            "Two vectors: a query and a key",
            (
                "The upper row is the query of the word that asks. The lower row is the key of the word that is asked. "
                "Both have d_k numbers."
            ),
            "Suppose the same word asks and is asked. Are the two rows then equal?",
            (
                "“Yes, it is the same word.” Its query is made by W_q and its key by W_k, two different matrices. Only "
                "with projections set to none are they equal."
            ),
        ),
        Beat(
            "products",
            "Their products, number by number",
            (
                "The row “= product”: query times key, number by number. The deeper the colour of a product, the more it "
                "moves the score."
            ),
            "When is one of these products above zero?",
            "“When both numbers are positive.” Also when both are negative. It is enough that the signs are the same.",
        ),
        Beat(
            "sum",
            "The sum: one score",
            (
                "Added up, the products give one number, the score of this pair. Two whole vectors went in, one "
                "number came out."
            ),
            "Suppose every product is small. Is the score then small too?",
            (
                "“Yes, small plus small stays small.” Many small products of one sign add up, and d_k says how many "
                "there are. We need that in the next step."
            ),
        ),
        Beat(
            "row",
            "The row: one query against every key",
            (
                "The queries stand at the left, the keys above, each key as a column. The chosen query meets one key "
                "after the other, and that fills its row of scores."
            ),
            "Why is K transposed, why do the keys stand upright?",
            (
                "“It changes the keys so that they fit.” Not one number changes. As a column, a key can meet a row of "
                "Q: row times column is query times key."
            ),
        ),
        Beat(
            "matrix",
            "The matrix: every query against every key",
            (
                "Every query against every key: a single matrix product. A row belongs to the word that asks, a column "
                "to the word that is asked. The outlined cell is our pair."
            ),
            "On the diagonal each word meets itself. Must the largest score of each row stand there?",
            (
                "“Yes, nothing fits a word better than itself.” It may stand there, but nothing forces it to. A longer "
                "key, or one that points a better way, scores higher."
            ),
        ),
        Beat(
            "why",
            "Why a dot product?",
            (
                "It is positive if the two vectors point the same way, negative if they point apart, near zero if they "
                "stand at right angles. And all pairs at once are one matrix product, which hardware does best."
            ),
            "I make one key twice as long and keep its direction. What happens to its scores?",
            (
                "“Nothing, the direction is what counts.” They double: a dot product also measures length. The cosine "
                "would stay as it is."
            ),
        ),
        Beat(
            "code",
            "The same as a formula and as code",
            (
                "The sum in the formula is what stood on the board: p runs through the d_k places of the two vectors. "
                "In code, all those sums together are q @ k_t."
            ),
            "What happens if I forget to transpose and write q @ k?",
            (
                "“The same scores in another order.” As a rule an error: rows of d_k numbers meet columns with one "
                "number for each word. If those sizes happen to be equal, it runs and is wrong."
            ),
        ),
    ),
    "weights": (
        Beat(
            "question",
            "How does a word divide its attention?",
            "Scores can be any numbers, also below zero. We want shares: none negative, and each row adds up to 1.",
            "How would you turn a row of scores into shares of 1?",
            (
                "“Divide each score by the row's sum.” Scores can be negative, and their sum can be zero. They must be "
                "made positive first."
            ),
        ),
        Beat(
            "scaled",
            "One row of scores, scaled",
            (
                "On top are the raw scores of the chosen word. Below them are the same scores divided by √d_k, unless "
                "the setup says otherwise. One divisor for the whole row, so their order stays."
            ),
            "Does a longer sentence need a larger divisor?",
            (
                "“Yes, there are more scores.” More, but not larger: each score is a sum of d_k products, however long "
                "the sentence."
            ),
        ),
        Beat(
            "powers",
            "e to the power of each",
            (
                "First the row's largest score is subtracted, so that nothing overflows. Then e is raised to each. The "
                "largest becomes e⁰ = 1, and nothing is above it. A mask's −∞, if there is one, becomes 0."
            ),
            "After the subtraction no number is above zero. Can e to such a number be negative?",
            (
                "“Yes, a minus stays a minus.” e to a negative number lies between 0 and 1. The more negative the "
                "number, the closer to 0."
            ),
        ),
        Beat(
            "shares",
            "Divided by their sum: shares of 1",
            (
                "Each power is divided by the sum of its row. What comes out are the weights α, and they add up to 1. "
                "Power and division together are the softmax."
            ),
            "Say one scaled score is 4 and another is 2. Is the first weight twice the second?",
            (
                "“Yes, twice the score, twice the weight.” Only the difference counts: it is e² times the second, over "
                "seven times."
            ),
        ),
        Beat(
            "matrix",
            "Every row",
            (
                "The same for every word. At the left the scaled scores, at the right the weights, and at the end of "
                "each row of weights its sum: it is always 1."
            ),
            "And the columns of the weights: do they add up to 1 as well?",
            (
                "“Yes, they are probabilities.” A column tells how much a word gets from all words: anything from 0 to "
                "the number of words."
            ),
        ),
        Beat(
            "along",
            "Why softmax along the row?",
            (
                "A row is one word that divides its attention, so a row must add up to 1. A column need not: a word "
                "may be looked at by all or by nobody."
            ),
            "Someone runs the softmax down the columns by mistake. How would you notice?",
            (
                "“There would be an error, or weights above 1.” Neither: every weight still lies between 0 and 1. Only "
                "the row sums give it away."
            ),
        ),
        Beat(
            "root",
            "Why divide by √d_k?",
            (
                "The upper row is without the division, the lower with it. A score is a sum of d_k products: more "
                "terms of the same size spread the scores further. If one is far ahead it takes nearly all, the slope "
                "is almost zero, and training stalls."
            ),
            "The whole row is divided by one number. How can that change the shares?",
            (
                "“It cannot, the number cancels.” It stands in the exponent, where it makes the differences between "
                "scores smaller, and so the shares more even."
            ),
        ),
        Beat(
            "curves",
            "What grows with d_k, and what stays",
            (
                "In each picture d_k grows to the right: the spread of the scores, the largest weight, the largest "
                "slope, with and without the division. The line below says with which power of d_k our spread grows. "
                "For a power of 0.5, √d_k is just right."
            ),
            "Where the largest weight comes close to 1, what does the slope do?",
            (
                "“It is steep, one word wins clearly.” It goes to zero: the slope is w(1 − w). If a score moves a "
                "little, hardly any weight moves."
            ),
        ),
        Beat(
            "code",
            "The same as a formula and as code",
            (
                "The code does what we did to the row: subtract the largest, raise e to it, divide by the row's sum. "
                "The clamp only matters for a row that may look nowhere."
            ),
            "What does dim=-1 say in that sum?",
            "“Sum over the last row.” Over the last axis, the keys. So each query has a sum of its own.",
        ),
    ),
    "context": (
        Beat(
            "question",
            "What does a word take over from the others?",
            (
                "The weights say how much, the values say what. Each word's new vector is a mixture of the values in "
                "these proportions."
            ),
            "A word gives one half to one word and a quarter each to two others. What is its new vector made of?",
            (
                "“Of the word with the largest weight.” Of the values of all three: a half and two quarters. Attention "
                "mixes, it does not choose."
            ),
        ),
        Beat(
            "vectors",
            "One row of weights, one column of values",
            (
                "The upper row is the chosen word's row of weights. The lower row is one column of the values: the "
                "same place in each value vector."
            ),
            "How many numbers are in each of the two rows?",
            "“d_v, the length of a value.” As many as there are words: this time the sum runs over words.",
        ),
        Beat(
            "products",
            "Weight times value",
            (
                "The row “= product”: each word's number times the weight that the word was given. A word with hardly any "
                "weight gives hardly anything."
            ),
            "Where a product is below zero, which of its two factors was negative?",
            "“The weight, that word counts against it.” A weight is never below zero. The value was.",
        ),
        Beat(
            "sum",
            "Their sum: one number of the new vector",
            (
                "Added up, this is one number of the chosen word's new vector. The weights add up to 1, so it is an "
                "average, in which some words count more than others."
            ),
            "Can the sum be larger than the largest number of the second row?",
            "“Yes, many numbers are added up.” It is an average: it lies between the smallest and the largest value.",
        ),
        Beat(
            "mixture",
            "The whole vector is a mixture",
            (
                "Now all columns. Each row is one word's value vector times its weight. The last row is their sum: the "
                "whole new vector of the chosen word."
            ),
            "Suppose the chosen word gave all its attention to one other word. What would its new vector be?",
            (
                "“Its own vector with a bit of the other.” Exactly the other word's value. Its own vector is added "
                "again only later, in the block."
            ),
        ),
        Beat(
            "matrix",
            "Every word's new vector",
            (
                "The weights at the left, the values above, the context Z where they cross. One row of weights makes "
                "one row of Z: a new vector for each word."
            ),
            "Suppose two words had the same row of weights. What about their new vectors?",
            (
                "“They differ, since the words differ.” They are equal: all rows mix the same values, and only the "
                "weights differ from row to row."
            ),
        ),
        Beat(
            "why",
            "Why values apart from keys?",
            (
                "The key decides whether a word is found, the value what is then taken from it. And since values never "
                "meet a query, they may have a length of their own."
            ),
            "What is it that we mix: the embeddings, the keys or the values?",
            (
                "“The embeddings of the words.” The values, made by W_v. Only with projections set to none are the two "
                "the same."
            ),
        ),
        Beat(
            "code",
            "The same as a formula and as code",
            (
                "One product again: weights @ v. The formula says it row by row: z of a word is the sum of all values "
                "v, each times its weight."
            ),
            "Could I write v @ weights just as well?",
            (
                "“Yes, the order of factors does not matter.” For matrices it does: that would sum over the numbers of "
                "a value, not over words, and as a rule the sizes do not even fit."
            ),
        ),
    ),
    "heads": (
        Beat(
            "question",
            "What if a word must look at two things?",
            (
                "One head has one row of shares for each word. But a verb may need its subject and its object, for "
                "different reasons."
            ),
            "A word gives half its attention to each of two words. What is lost?",
            (
                "“Nothing, both are in the mixture.” They are in one sum: from that alone nobody can tell what came "
                "from which word."
            ),
        ),
        Beat(
            "heads",
            "What each head looks at",
            (
                "One picture for each head, all for the same sentence. Follow the chosen word's row from head to head. "
                "These heads are random; trained ones do specialise."
            ),
            "With several heads: they all get the same sentence, so why do the pictures differ?",
            (
                "“Each head gets a part of the words, or of their numbers.” Each gets all of X. It has a W_q, W_k and "
                "W_v of its own."
            ),
        ),
        Beat(
            "why",
            "Why several heads?",
            (
                "If the one row of shares looks at the verb, it does not look at the subject. Several heads can look "
                "at different things side by side, each with matrices of its own."
            ),
            "Why not average the weights of all heads into one matrix?",
            (
                "“That would keep what each head saw.” It would be one row of shares again, and blurred: what we "
                "wanted to get away from."
            ),
        ),
        Beat(
            "concat",
            "Side by side",
            (
                "Each head made d_v numbers for each word. Here they stand side by side, and a line marks where a head "
                "ends. Nothing is computed, numbers only move."
            ),
            "Which of our sizes tell how long a row is now?",
            (
                "“d_model, as always.” The number of heads times d_v. With narrow heads that is d_model, otherwise as "
                "a rule not."
            ),
        ),
        Beat(
            "cut",
            "And cut into heads again",
            (
                "This is the chosen word's long row, cut where the lines were: one row for each head. The outlined "
                "cell is the same number as before."
            ),
            "As shapes: may I view (token, head · d_v) directly as (head, token, d_v)? The count is the same.",
            (
                "“Yes, the same numbers in another shape.” A view keeps them in order, and words end up in the wrong "
                "heads. Cut each row first, then swap the axes."
            ),
        ),
        Beat(
            "part",
            "One head's part of the output",
            (
                "At the left, the context of one head. Above, those rows of W_o that belong to it. Where they cross is "
                "what this head adds to the output."
            ),
            "Why does this head have exactly d_v rows of W_o?",
            (
                "“Because the output has d_v numbers.” Because the head's context has d_v numbers, and each of them "
                "meets one row. The length of the output decides the columns."
            ),
        ),
        Beat(
            "parts",
            "Every head's part, and their sum",
            (
                "Each row is what one head adds to the chosen word. The bias, if there is one, has a row too. The last "
                "row is the sum: the output for this word."
            ),
            "Is that the same as the long row times the whole W_o?",
            (
                "“No, there everything is mixed together.” It is the same but for rounding: one long sum, taken in "
                "pieces, a piece for each head."
            ),
        ),
        Beat(
            "output",
            "Why W_o?",
            (
                "W_o lets each number of the output draw on every head. And it sets the length: in a transformer that "
                "is d_model, so that the output can be added to X."
            ),
            "Could we do without W_o and just hand on the heads side by side?",
            (
                "“Yes, concat has already combined them.” It has only put them next to each other: no number depends "
                "on two heads, and the row has the wrong length as a rule."
            ),
        ),
        Beat(
            "code",
            "The same as a formula and as code",
            (
                "The function concatenate only moves numbers: it swaps head and word, then joins the last two axes. "
                "With W_o the heads meet, in one product."
            ),
            "I put the heads side by side in another order and leave W_o as it is. Is the output the same?",
            (
                "“Yes, in the end they are added up.” No: each head would meet the rows of W_o that belong to another. "
                "Move those rows along, and it is."
            ),
        ),
        Beat(
            "line",
            "All of it in one line",
            (
                "Read it from the inside out: queries times keys, divided, softmax along the row, times the values. Once "
                "for each head, side by side, through W_o. Each piece has had a page of its own."
            ),
            "Where in this line do words exchange something?",
            (
                "“W_o, it mixes everything.” It mixes heads, word by word. Words meet in the scores and in the product "
                "with the values."
            ),
        ),
    ),
    "masks": (
        Beat(
            "question",
            "Who must not be looked at?",
            (
                "So far one sentence went through by itself. Computers work on many at once, so short sentences are "
                "filled up to the longest. The filling is no part of any sentence, so no word should look at it."
            ),
            (
                "Two sentences of different length are to stand in one matrix. What goes into the places that are left "
                "over?"
            ),
            (
                "“Nothing, they stay empty.” A matrix has a number in every place, so something must stand there, and "
                "attention must be told to leave it out."
            ),
        ),
        Beat(
            "batch",
            "Several sentences as one batch",
            (
                "Each row is one sentence as ids. All rows must be equally long, so where a sentence is shorter, [pad] "
                "fills the row. To the computer that is a word like any other, with an id and a row of the table."
            ),
            "Suppose padding's vector were all zeros, and there were no biases. Would it still need a mask?",
            (
                "“No, its scores are 0 then.” A score of 0 is not a weight of 0: e to the power of 0 is 1, so padding "
                "would still take its share."
            ),
        ),
        Beat(
            "allowed",
            "Who may look at whom",
            (
                "One mask a sentence: 1 where the query of this row may look at the key of this column, 0 where it may "
                "not. A padding mask closes whole columns. A causal mask closes everything to the right of the "
                "diagonal."
            ),
            "Suppose no word may look at padding. Do we close padding's row or its column?",
            "“Its row.” The row says whom padding itself looks at; who looks at padding stands in its column.",
        ),
        Beat(
            "weights",
            "The weights of every sentence",
            (
                "The weights of the chosen head, one picture a sentence, with the sum of each row beside it. A closed "
                "place has exactly 0: e to the power of minus infinity. The open places of a row share all of the "
                "attention."
            ),
            "Take a row in which some places are closed and some open. What do the open ones sum to?",
            (
                "“To less than 1, since some attention is lost.” To 1: the softmax divides by the sum over the open "
                "places, so nothing is lost."
            ),
        ),
        Beat(
            "dropout",
            "What training does to the rows",
            (
                "While a model is trained, dropout strikes out weights at random and enlarges the rest, so that no "
                "word relies on a single other. If it is on here, you see both: the weights as used, and as in "
                "training. When we read weights, it is switched off."
            ),
            "After dropout, does every row still sum to 1?",
            (
                "“Yes, the rest is enlarged to make up for it.” Only on average over many draws: the rest is always "
                "divided by the same number, however much of this row was struck out."
            ),
        ),
        Beat(
            "why",
            "Why batch at all?",
            (
                "Hardware multiplies large matrices best: many sentences one by one are many small products, as a "
                "batch they are one large one. The price is padding. A mask sees to it that nobody can tell."
            ),
            "Say padding is masked. Does the first sentence get the same weights in the batch as it gets alone?",
            (
                "“No, the others are computed together with it.” The same but for rounding: none of its words looks "
                "into another sentence, and none looks at padding."
            ),
        ),
        Beat(
            "code",
            "The same as a formula and as code",
            (
                "The mask holds True and False. Where it is False, minus infinity takes the place of the score. The "
                "softmax after it is the one we know."
            ),
            "Why does the mask stand before the softmax? Could we not put zeros among the weights afterwards?",
            (
                "“That comes to the same.” Then the rest no longer sums to 1: what we strike out has already taken its "
                "share."
            ),
        ),
    ),
    "block": (
        Beat(
            "question",
            "What stands around attention?",
            (
                "Attention by itself only mixes values. A block puts three things around it: the input is added again, "
                "a norm brings each word's row to one size, and a feed-forward part works on each word by itself."
            ),
            "Attention makes a new vector for each word. What becomes of the old one?",
            "“It is replaced.” In a block it stays: what attention found is added to it.",
        ),
        Beat(
            "stream",
            "One word on its way through",
            (
                "From top to bottom, this is the chosen word's vector on its way through one layer. The trunk on the "
                "left is the stream. Attention and the feed-forward part stand on branches, and what they find is "
                "added to the stream."
            ),
            "Read the mean and the spread of each row. Where do you find 0 and 1?",
            (
                "“At the end of the layer, nowhere else.” After every norm, wherever it stands; with pre-norm the "
                "layer ends with a sum, which is not normed."
            ),
        ),
        Beat(
            "cell",
            "The chosen cell in full",
            (
                "This is one number of the stage that is open, with all that went into it. A sum or a product shows "
                "every term; anything else fits into one line."
            ),
            "From how many words' rows does this cell take its numbers directly?",
            (
                "“From all, since attention mixes the words.” From one, its own word's row: words are mixed inside "
                "attention only, where weights meet values."
            ),
        ),
        Beat(
            "every",
            "Every word",
            (
                "Now all words: what comes in, what attention adds, the stream after that, and what comes out. Only "
                "attention takes anything from other rows. Norm and feed-forward part work on each row by itself."
            ),
            "Change one word's row of X. Which rows of what comes out can change?",
            "“Only the row of that word.” Also every row that may look at it: attention mixes its value into them.",
        ),
        Beat(
            "norms",
            "Post-norm and pre-norm, layer after layer",
            (
                "The spread of all numbers after each layer, with the same weights: post-norm above, pre-norm below. "
                "Post-norm norms the stream itself, so as a rule each layer hands on a spread of 1. Pre-norm norms only "
                "what goes into each part; nothing brings the stream back, and mostly it grows."
            ),
            "With which of the two is the input of the first layer still a plain summand of what comes out at the top?",
            "“With both, since both add.” Only with pre-norm: post-norm shifts and rescales every sum.",
        ),
        Beat(
            "why",
            "Why add the input again?",
            (
                "Without the sum, a block would have to pass on everything worth keeping through its own matrices. "
                "With it, each part only has to find what to add. And in training, the slopes have a short way down to "
                "the lowest layer."
            ),
            (
                "Suppose attention and the feed-forward part both gave nothing but zeros. What would come out of the "
                "block?"
            ),
            "“Zeros.” The input comes out, since it is added each time; with post-norm it comes out normed.",
        ),
        Beat(
            "feed",
            "What does the feed-forward part do?",
            (
                "For given weights, attention only adds values up. The feed-forward part works on each word by itself: "
                "to d_ff numbers, then the bend, then back to d_model. What it does to one word depends on no other "
                "word."
            ),
            (
                "Leave the bend out, and W_1 and W_2 follow one another directly. What can the two do that one matrix "
                "cannot?"
            ),
            (
                "“They can do more, there are two of them.” Nothing more: W_1 times W_2 is itself one matrix, d_model "
                "by d_model."
            ),
        ),
        Beat(
            "code",
            "The same as a formula and as code",
            (
                "The first line is attention's part, the second the feed-forward part's, and the third says what feed "
                "is. The first two have a sum and a norm each. Post-norm and pre-norm differ only in where the norm "
                "stands."
            ),
            "In layer_norm the mean runs along dim=-1. Over what is that mean taken?",
            "“Over all words of the sentence.” Over the numbers of one word's row: each word is normed by itself.",
        ),
    ),
    "encoder": (
        Beat(
            "question",
            "What do blocks on top of one another see?",
            (
                "A block takes in a row of d_model numbers for each word and hands on a row of d_model numbers for "
                "each word. So blocks can stand on top of one another, each with weights of its own."
            ),
            "In a second layer, what does the row of a word stand for?",
            (
                "“For that word alone, as in the first layer.” For the word and for what it has taken over from others "
                "in the layer below."
            ),
        ),
        Beat(
            "stack",
            "Every layer, every head",
            (
                "Each picture shows what one head of one layer looks at. The first layer stands at the top, and the "
                "name of a picture is layer · head. The dashed frame marks the one that we follow."
            ),
            "Can the pictures of a second layer be computed at the same time as those of the first?",
            (
                "“Yes, all heads work side by side.” The heads of one layer do; a layer must wait for what the layer "
                "below hands on."
            ),
        ),
        Beat(
            "large",
            "One layer, one head",
            (
                "The picture that was marked, now large. Each row is one query's attention, in shares of 1. Above the "
                "first layer a row no longer stands for a word alone, so looking at a word means looking at a mixture."
            ),
            (
                "Say a weight in an upper layer is almost 0, and no mask is on. Can anything of the key's word still "
                "reach the query's word?"
            ),
            (
                "“No, nothing gets through.” It can: other words may have taken it over in a layer below, and the "
                "query looks at them."
            ),
        ),
        Beat(
            "shuffle",
            "Shuffle the words: does the stack notice?",
            (
                "The words go in once as they were typed and once in the order above, and each result is put back to "
                "its word. The picture shows how far each result has moved: without positions, with sinusoidal ones, "
                "with learned ones."
            ),
            "Say there are no positions and no mask. What does the shuffle do to a word's result?",
            (
                "“It changes, for the word has other neighbours now.” It stays the same but for rounding: the word's "
                "query meets the same keys, only in another order."
            ),
        ),
        Beat(
            "why",
            "Why several layers?",
            (
                "One layer lets each word take something over from the others, by what the words are. The next layer "
                "works with the result. It can look for a word by what that word has learned about its own neighbours."
            ),
            "Would one layer with twice as many heads do the same as two layers?",
            (
                "“Yes, there are as many heads.” All heads of a layer take in the same rows, so none can use what "
                "another has just found."
            ),
        ),
        Beat(
            "code",
            "The same as a formula and as code",
            (
                "The formula says it in one line: a layer takes in what the layer below hands on. The code is a loop "
                "over the layers, in which x is replaced by what the block makes of x."
            ),
            "Does each round of the loop use the same weights?",
            (
                "“Yes, it calls the same function each time.” The function is the same, but the loop runs over the "
                "weights: each layer has its own."
            ),
        ),
    ),
    "classifier": (
        Beat(
            "question",
            "From vectors to an answer: how?",
            (
                "The stack gives a vector for each word. We want one answer for a whole sentence. Two more steps do "
                "it: the mean over the words, and one matrix that leads to the classes."
            ),
            "Sentences differ in length. How do you get a vector of the same size from each?",
            (
                "“Put the words' vectors side by side.” Then a longer sentence has a longer vector; a mean has d_model "
                "numbers for any sentence."
            ),
        ),
        Beat(
            "says",
            "What it says",
            (
                "Each row is one sentence: its log p, and its probabilities, which sum to 1 along the row. The "
                "classifier is not trained, so its answers mean nothing, and another seed may say something else. What "
                "is real is the way from words to probabilities."
            ),
            "Not one log p is above 0. Is something wrong?",
            (
                "“Yes, a probability cannot be negative.” This is its logarithm, and the logarithm of a number up to 1 "
                "is never above 0; e to the power of it is the probability."
            ),
        ),
        Beat(
            "way",
            "The whole way, and its shapes",
            (
                "The whole way from the words to the answer, line by line. Follow the shapes: with x, d_model joins as "
                "a third axis. The mean takes the words' axis away, and the last matrix turns d_model into classes."
            ),
            "The longest sentence gets one more word. Which shapes change?",
            (
                "“All of them.” Only those of the ids, of x and of the layers: from the mean on, the number of words "
                "is gone."
            ),
        ),
        Beat(
            "logits",
            "From the mean to the logits",
            (
                "Take the chosen sentence's mean and one column of W_c, multiply number by number and add up, with a "
                "bias if there is one: that is a logit. Take away the logarithm of the row's sum of exponentials, and "
                "it is a log-probability."
            ),
            "A class has a logit below 0. Is it therefore unlikely?",
            (
                "“Yes, below 0 is unlikely.” Only the distance to the sentence's other logits counts: if those are "
                "lower still, it is the most likely class."
            ),
        ),
        Beat(
            "each",
            "A prediction for each word",
            (
                "One of the notebooks takes no mean: it multiplies every word's vector with the matrix and has a "
                "prediction for each word. The line below is the mean of these rows, padding left out. It is what the "
                "sentence itself gets, but for rounding."
            ),
            "First the mean and then the matrix, or first the matrix and then the mean: does it matter?",
            (
                "“Yes, in a product the order matters.” Here either may go first: the mean works down each column, the "
                "matrix along each row. With a softmax in between it would matter."
            ),
        ),
        Beat(
            "why",
            "Why the logarithm?",
            (
                "Training adds up how surprised the model was by each right answer: minus the logarithm of the "
                "probability that it gave to it. Taken straight from the logits, the logarithm never meets a "
                "probability that was rounded to 0."
            ),
            "How large is the surprise if the right answer had probability 1, and how large if it had almost 0?",
            (
                "“0, and almost 1: it is 1 minus p.” 0 is right for the first, but minus log p has no upper limit: the "
                "closer p comes to 0, the larger it gets."
            ),
        ),
        Beat(
            "code",
            "The same as a formula and as code",
            (
                "Two lines: a mean over the words, then the matrix and the logarithm of the softmax. The code of the "
                "mean has one thing more: “real” says which places hold a word."
            ),
            "Why does the code not simply take the mean over the token axis?",
            (
                "“It could, padding is 0 anyway.” Padding comes out of the stack as a row of numbers too, and the sum "
                "would be divided by the longest length, not by this sentence's."
            ),
        ),
    ),
    "notebooks": (
        Beat(
            "question",
            "Can running code be wrong?",
            (
                "Five notebooks stand behind this explorer. They are real teaching material, and they contain "
                "mistakes. Some of these run without any complaint."
            ),
            "A program runs, and every shape is as expected. What else would you check?",
            (
                "“Nothing, it works.” Shapes do not say what the numbers mean: check something that must hold for any "
                "input, such as rows of weights that sum to 1."
            ),
        ),
        Beat(
            "mistake",
            "A mistake, switched on and off",
            (
                "Here is one mistake: what is written, what must hold, and whether it holds. Beside it stand what came "
                "out and the code. Watch the verdict when I switch between “as written” and “repaired”."
            ),
            "What would a test have to check, so that this mistake cannot come back?",
            (
                "“That the code runs.” Much of the faulty code runs too: a test has to check what stands under “What "
                "must hold”."
            ),
        ),
        Beat(
            "all",
            "All mistakes at a glance",
            (
                "Every mistake in one line, as written and repaired. Some stop with an error. The others run and say "
                "nothing, and yet what must hold does not hold."
            ),
            (
                "Look at the column “as written”. Which are the more dangerous: those with an error, or those that do "
                "not hold?"
            ),
            (
                "“Those with an error.” An error tells you itself that something is wrong; what runs to its end has to "
                "be looked for."
            ),
        ),
    ),
}
