/** As `shop-catalogue.ts`. */
export const shopOperations = `
# Back office > Articles and stock | Operations | Web | regression
^ A user of the back office with the role "Articles".
> Open the articles in the back office => The list is shown
< Open the article in the shop => It shows the change within a minute
*! Change a price => The shop shows it, orders before keep the old one
* Add an article with four variants => Each has a number and a stock
* Import 5,000 articles => Faulty rows are named, the others are imported
Import the same file again => Nothing is added twice
* Book a delivery of goods => The stock rises by it
Count the stock => The difference needs a reason
Set a stock to a negative number => It is refused
* Take an article out of the shop => Carts that have it say so
Plan a price for tomorrow => It changes at midnight of the shop's time
Two users change one article => The second is asked which change counts
Look at the history of an article => Each change has who and when
Upload a picture in the wrong format => The formats are named

# Back office > Orders | Operations | Web | regression,smoke
^ A user of the back office with the role "Service" and ten open orders.
> Open the orders in the back office => Open ones are first
< Open the history of the order => The change has who and when
*! Pack and send an order => The customer gets a mail with the number
* Cancel a line of an order => The rest is sent, the line is refunded
* Refund more than was paid => It is refused
Change the address before packing => The label has the new one
Change the address after packing => It is refused with the reason
* Search an order by the name of the customer => It is found, also with a typing error
Print 50 delivery notes => They are in the order of the storage places
Book a return => The stock rises, the refund is planned
Hold an order for a check of fraud => It cannot be packed
* Open orders as somebody without the role => The page is refused
Export the orders of a month => The sum is that of the report
Answer a question of a customer => The answer is in the order

# Platform > API and performance | Operations | API | slow,release-5
^ The staging system with 100,000 articles and the load generator.
> Start the measurement => The dashboard shows requests and errors
< Stop the measurement => No process was restarted
*! Load the product page with 200 users => 95 percent answer within 400 ms
* Search with 100 users => 95 percent answer within 600 ms
* Place 20 orders a second for ten minutes => No order is lost or doubled
* Send an order with an unknown article to the API => 422 names the article
* Call the API without a token => 401, and nothing of the data
* Call the API 1,000 times in a minute => 429 with the time to wait
Stop one of three servers under load => No request fails
Let the payment provider answer slowly => Other pages are as fast as before
Restore last night's backup on staging => The numbers of orders agree
Roll the release back => The data of the new release can still be read
Let a certificate end in seven days => The alarm is raised
Open the shop with the first line of the load test down => The message of maintenance is shown
`;
