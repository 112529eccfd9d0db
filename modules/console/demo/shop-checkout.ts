/** As `shop-catalogue.ts`. */
export const shopCheckout = `
# Cart > Contents | Checkout | Web | regression,smoke
^ Three articles in stock, one of them with a limit of two per customer.
> Put two articles into the cart => The cart has two lines
< Load the page again => The cart is unchanged
*! Raise the quantity of a line to three => Subtotal and total follow
* Lower a quantity to zero => The line goes and can be brought back
* Ask for more than the stock => The quantity is lowered to the stock, with a message
* Exceed the limit per customer => The limit is named
Leave the cart for 30 days and come back => The articles are there with their present prices
* Sign in with another cart on the account => Both carts are joined
Change the price of an article in the back office => The cart names the change before checkout
Put an article into the cart in two windows => Both show the same cart
* Save a line for later => It moves below the cart and does not count
Remove all lines => The empty cart shows the last seen articles
* Open the cart in another currency => Each line is converted and rounded once
Use the cart by keyboard alone => Every button is reached in order

# Cart > Vouchers | Checkout | Web | regression,payments
^ Vouchers of 10 percent, of 5 euros from 40 euros, and one that ended yesterday.
> Fill the cart with articles for 60 euros => The field for a voucher is shown
< Remove the voucher => The total is 60 euros again
*! Redeem the voucher of 10 percent => The total is 54 euros
* Redeem the voucher that ended => The message names the day
* Redeem the voucher of 5 euros below 40 euros => The missing amount is named
* Redeem a code in small letters with spaces around it => It is accepted
Redeem a voucher that was used on the account => It is refused
Combine two vouchers that exclude each other => The better one stays
* Redeem a voucher for one brand with other articles => It counts for that brand only
Redeem a gift card above the total => The rest stays on the card
* Try 20 wrong codes in a minute => Further tries wait
Return an article that a voucher reduced => What was paid is refunded
Redeem a voucher for free delivery => Delivery costs nothing, the rest is unchanged
Print the order with a voucher => Name and amount of the voucher are on it

# Cart > Shipping costs | Checkout | Web | regression
^ Delivery costs 4.90 euros and nothing from 50 euros; islands cost 9 euros more.
> Put an article for 20 euros into the cart => Delivery of 4.90 euros is shown
< Go to checkout => The same costs are shown there
* Add articles up to 50 euros => Delivery is free
* Remove one so that 49.99 euros are left => 4.90 euros are shown again
* Choose an address on an island => 9 euros are added
Put a bulky article into the cart => The forwarding agent and its price are shown
Choose express delivery => Its costs replace those of the standard
* Deliver to another country => Costs and days are those of the country
Choose a country that is not delivered to => The cart says so before checkout
* Collect the order in a store => Delivery costs nothing
Split an order into two parcels => Delivery is paid once
Redeem a voucher that lowers the total below 50 euros => Delivery stays free
Look at the costs as a visitor => They are those of the country of the address
Send an order as a present to two addresses => Each has its costs

# Checkout > Address | Checkout | Web | regression
^ A customer with two stored addresses.
> Go to checkout => The address of the last order is chosen
< Go on to delivery => The chosen address is shown
*! Choose the other stored address => It is used for this order
* Enter a new address => It is stored for the next order
* Leave the postal code empty => The field is named and focused
* Enter a postal code of another country => The form names the expected form
Enter a street without a number => The form asks whether that is right
Enter a name with letters of another alphabet => It is printed on the label as entered
Choose a different address for the invoice => Both are on the confirmation
* Choose a parcel station => Only carriers that deliver there are offered
Take the address that the check suggests => It replaces what was entered
Go back to the cart and return => The entered address is still there
Enter the address by the browser's autofill => Every field gets its value
Order as a guest => No account is made

# Checkout > Delivery | Checkout | Web | regression
^ A cart with one article in stock and one that comes in five days.
> Reach the step "Delivery" => The ways of delivery are shown with their days
< Go on to payment => The chosen delivery is shown
* Choose standard delivery => The later day of both articles is named
* Choose to get both articles together => One parcel is announced
Choose two parcels => Two days are named
* Choose express before 14:00 => The next working day is named
Choose express after 14:00 => The day after is named
Choose a day of delivery => Holidays of the country cannot be chosen
Choose the store round the corner => Its opening hours are shown
Leave a note for the carrier => It is on the label, cut after 60 characters
* Change the address so that express is impossible => Standard is chosen, with a message
Let the carrier's service fail => Standard delivery can be chosen
Choose carbon neutral delivery => Its price is added once
Order on a Sunday => The days count from Monday

# Checkout > Payment > Cards | Checkout | Web | regression,smoke,payments
^ A cart for 60 euros and the test cards of the payment provider.
> Reach the step "Payment" and choose a card => The form of the provider is shown
< Open the order in the back office => Amount and status are those of the payment
*! Pay with a Visa card => The order is confirmed and the card is charged once
*! Pay with a Mastercard that asks for confirmation => The order is confirmed after it
*! Pay with a card that is declined => The message offers another way, the cart stays
* Cancel the confirmation of the bank => The step "Payment" is shown again
* Enter a card that has expired => The field is named
* Press the button twice => There is one order and one charge
Close the window during the confirmation => The order is open for 30 minutes and then cancelled
Pay with a stored card => Only the security code is asked
Remove a stored card => It is not offered any more
* Pay 0 euros by a gift card => No card is asked for
Pay with a company card => The invoice shows the company
Refund a part of a payment => The customer sees the amount within a minute

# Checkout > Payment > Wallets and bank | Checkout | Web | regression,payments
^ A cart for 60 euros; test accounts at each wallet.
> Reach the step "Payment" => All ways of the country are offered
< Open the confirmation mail => It names the way of payment
*! Pay with PayPal => The order is confirmed
* Cancel at PayPal => The cart is unchanged
Pay with Apple Pay in Safari => The sheet shows the total with delivery
Pay with Google Pay on Android => The order is confirmed
* Pay by direct debit => The mandate is shown and stored
Enter an account number with a wrong checksum => The field is named
* Pay by invoice as a new customer above 200 euros => The way is not offered
Pay by invoice as a known customer => The order is confirmed, payment is due in 14 days
Pay in three parts => The plan is shown before the order
* Let the provider answer after 40 seconds => The order waits and is confirmed once
Pay in advance => The account and the reference are in the mail
Open the shop in another country => Its ways of payment are offered

# Checkout > Confirmation | Checkout | Web | regression,smoke
^ A cart that is ready to be ordered.
> Press "Order and pay" => The confirmation is shown
< Open the orders of the account => The order is the first
*! Read the number of the order => It is that of the mail
* Load the confirmation again => No second order is made
* Wait for the mail => It comes within two minutes
Open the mail without pictures => Everything needed is text
* Open the confirmation of another customer by its address => It is refused
Make an account after ordering as a guest => The order is in it
Print the confirmation => It fits one page
Cancel the order within 30 minutes => It is cancelled and refunded
Cancel it after it was packed => The page offers a return
Order for 1,000 euros or more => The order waits for a check and says so
Read the withdrawal notice => It is that of the country
* Order the last piece in two windows => One order is confirmed, the other gets a message
`;
