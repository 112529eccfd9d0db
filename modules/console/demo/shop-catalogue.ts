/*
 * The tests of an online shop, as `demo-tests.ts` reads them: a section with its squad, platform and labels, what must hold before
 * its tests (^), the step before (>) and after (<) that of each test, and the tests: what is done, and what is expected. `*` is
 * automated, `!` is critical.
 */
export const shopCatalogue = `
# Catalogue > Search | Discovery | Web | regression
^ The catalogue has 500 articles; nobody is signed in.
> Open the start page => The search field is shown
< Open the first hit => The article of the hit is shown
*! Search for an article by its exact name => It is the first hit
* Search for a part of a name in capital letters => The case does not matter
* Search for a word with a typing error => Hits of the corrected word are shown, and the correction is named
Search for a synonym of the category => Articles of the category are shown
* Search for an article number => Only that article is shown
* Search for a text that nothing matches => The page says so and suggests categories
Type three letters slowly => Suggestions appear within a second
Choose a suggestion by the arrow keys and Enter => Its hits are shown
* Search with a query of 300 characters => The search answers without an error
Search for a text with <script> in it => It is shown as text
Go back from an article to the hits => The list is where it was
Search in French with accents and without => Both find the same articles

# Catalogue > Filters and sorting | Discovery | Web | regression
^ A category with 120 articles of several brands, sizes and prices.
> Open the category => 24 articles and the filters are shown
< Remove all filters => All articles are shown again
* Filter by one brand => Only articles of the brand are shown, with their number
* Filter by two brands => Articles of both are shown
* Combine brand, size and colour => Every article fits all three
*! Filter by a price range => No article is outside the range
Move the lower end of the price above the upper one => The ends change places
* Sort by price, ascending => The cheapest article is first
* Sort by rating => Articles without a rating are last
Filter so that nothing is left => The page offers to remove the last filter
Send the address of a filtered list to somebody => The same filters are set there
Open the third page of a sorted list => The order goes on from page two
Show only articles in stock => Articles that are sold out disappear
Open the filters at 360 pixels => They fill the screen and can be closed

# Catalogue > Product page | Discovery | Web | regression,smoke
^ An article with four sizes, three colours and six pictures.
> Open the article => Name, price and the first picture are shown
< Put it into the cart => The number at the cart is higher by one
*! Choose a size and a colour => Price and stock are those of the variant
* Choose a variant that is sold out => The button says that it is sold out
Look through the pictures by swiping => All six are shown, then the first again
Enlarge a picture by two fingers => It is sharp
* Open an article with a reduced price => The old price is crossed out, the lowest of 30 days is named
* Open an article that was taken out of the catalogue => A page says so and shows similar ones
Read the delivery time of an article from a partner => It is the partner's
* Open the table of sizes => It is that of the category
Share the article => The address in the message opens the article
Change the country => Price, tax and delivery time change
Open the page with a screen reader => Price and variants are read in order
* Open an article of age 18 => The age is asked once in a session

# Catalogue > Reviews | Discovery | Web | regression
^ An article with 45 reviews; a customer who bought it.
> Open the reviews of the article => The average and the distribution are shown
< Load the page again => What was done is still there
* Sort the reviews by date => The newest is first
* Show only reviews with one star => Their number is that of the distribution
Write a review with four stars and a text => It is shown after it was checked
* Write a review without stars => The form asks for them
Write a second review of the same article => The first one is offered to be changed
Write a review as somebody who did not buy it => It is not marked as bought
* Mark a review as helpful twice => It counts once
Report a review => It is in the list of the editors
* Put HTML into a review => It is shown as text
Attach three pictures to a review => They are shown small and open large
Translate a review => The original can be shown again
Delete the own review => The average is computed anew

# Catalogue > Recommendations | Discovery | Web | regression
^ A customer with ten orders and a visitor without any.
> Open the start page => The recommendations load after the page
< Open one of the recommended articles => The article is available
Look at the recommendations as the customer => None was bought in the last 30 days
Look at them as a visitor => They are the best sellers of the country
* Switch personalised offers off in the profile => Best sellers are shown
Remove an article from the recommendations => It does not come back in this session
* Look at "often bought together" of a camera => The articles fit the model
* Let the recommendation service fail => The page is complete without them
Look at the recommendations in the cart => None is in the cart
Open the newsletter version of them => Names and prices are those of the shop
Look at them at 360 pixels => They scroll sideways, the page does not
* Load the start page on a slow line => Recommendations do not move the page
Sign out => They are those of a visitor
Change the language => Names of articles are in that language

# Catalogue > Wish list | Discovery | Web | regression
^ A customer with an empty wish list.
> Sign in and open an article => The heart at the article is empty
< Open the wish list => It shows what was chosen
*! Put an article on the wish list => The heart is filled
* Take it off again => The list is empty
Use the wish list without an account => It is kept on this device
Sign in with articles on the device => Both lists are joined, each article once
* Move an article from the list into the cart => It leaves the list
Share the list by its link => Others can read it and not change it
Stop sharing => The link no longer works
* Put a variant on the list that sells out later => The list says so
Make a second list and move articles to it => Each is in one list
Get a message when a price falls => It comes once, with both prices
Sort the list by price => The cheapest is first
Put 200 articles on the list => It loads in parts
`;
