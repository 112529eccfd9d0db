/** As `shop-catalogue.ts`. */
export const shopAccount = `
# Account > Registration | Accounts | Web | regression,gdpr
^ An e-mail address that has no account.
> Open the registration => The form is shown
< Open the mail of the shop => It asks to confirm the address
*! Register with an address and a password => The account is made and waits for the confirmation
* Confirm the address => The account can be used
* Open the link of the confirmation twice => The second time says that it is done
* Register with an address that has an account => The answer does not say so; the owner gets a mail
* Choose a password of five characters => The rule is named
Choose a password that is known from a leak => Another one is asked for
Register without accepting the terms => The box is named
Leave the box for the newsletter empty => No newsletter is sent
Register with Google => Name and address are taken over
Let the link of the confirmation expire => A new one can be asked for
Register from a country that is not served => The form says so
Register 50 times from one address of the network => Further tries wait

# Account > Sign-in | Accounts | Web | regression,smoke
^ A customer with a password and one with two factors.
> Open the sign-in => The form is shown
< Open the profile => It is that of the customer
*! Sign in with address and password => The start page greets by name
*! Sign in with a wrong password => The message does not say which of both is wrong
* Fail ten times => The next try waits, and the owner gets a mail
* Sign in with the second factor => A code of the app is asked for
Use a recovery code => It works once
* Ask for a new password => The link works for one hour and once
Ask for a new password of an unknown address => The answer is the same
Stay signed in => The session lasts 30 days
* Sign out => Going back shows nothing of the account
Sign out on all devices => The other device asks to sign in
Sign in by a passkey => No password is asked for
* Come to sign-in from the cart => After it the cart is shown again

# Account > Profile | Accounts | Web | regression,gdpr
^ A signed-in customer.
> Open the profile => The data of the customer is shown
< Load the page again => The change is still there
* Change the name => The greeting changes
* Change the e-mail address => The old address gets a mail, the new one must confirm
* Change the password => Other sessions end
Change the language => Pages and mails are in that language
* Download the own data => A file comes by a link that works for a day
Delete the account with an open order => The account is deleted after the order
* Delete the account => Signing in is no longer possible, orders are kept without a name
Upload a picture of 20 megabytes => The limit is named
Switch the newsletter off => No further one is sent
Add a second address => It can be chosen at checkout
Enter a birthday in the future => The field is named
Look at the list of sessions => Place and time of each are shown

# Account > Orders | Accounts | Web | regression
^ A customer with 60 orders of three years.
> Open the orders => The newest ten are shown
< Go back to the list => It is where it was
*! Open an order => Articles, prices and status are shown
* Search in the orders for an article => Its orders are shown
* Show the orders of a year => Only those are shown
Follow a parcel => The page of the carrier opens with its number
* Download an invoice => It is the one of the order
Download the invoice of an order from 2019 => It is in the form of that time
Order the same again => Articles that are sold out are named
Look at an order in two parcels => Each has its status
* Open an order of somebody else by its number => It is refused
Ask a question about an order => It reaches the service with the number
Look at an order with a voucher => The voucher is a line of its own
Open the list with a screen reader => Each order is a heading

# Account > Returns | Accounts | Web | regression,payments
^ A delivered order with three articles, one of them cannot be returned.
> Open the order and choose "Return" => The articles are shown
< Open the returns => The return is shown with its status
*! Return one article => A label is made
* Return an article after 30 days => It is not offered, the reason is named
* Choose the article that cannot be returned => It says why
Return two of three pieces of a line => The refund is for two
Choose "damaged" as the reason => Pictures are asked for
Return an article that a voucher reduced => The refund is what was paid
* Hand the parcel in at a store => The refund is made the same day
Exchange for another size => A new order without payment is made
Exchange for a size that is sold out => A refund is offered
Lose the label and ask again => It is the same label
* Cancel a return => The articles can be returned again
Return a present => The one who gave it gets no mail

# App > Start and updates | Mobile | Android | regression,mobile
^ The app of the last release is installed.
> Start the app => The start page is shown within three seconds
< Close the app and start it again => The same page is shown
*! Start the app for the first time => The tour is shown and can be skipped
* Update from the last release => Sign-in and cart are kept
* Update from a release of a year ago => The app works, the cart may be empty
Start a release that is no longer supported => The app asks for the update
Refuse all permissions => The app works without them
* Open a link to an article => The app opens the article
Open a link without the app => The web page opens
Start the app in airplane mode => The last start page is shown, with a note
Turn the device => Nothing that was entered is lost
Use the largest font of the system => No text is cut
* Switch to the dark mode of the system => Every page follows
Start the app on a tablet => Lists have two columns

# App > Notifications | Mobile | iOS | regression,mobile
^ A device that allows notifications.
> Sign in to the app => The settings of notifications are shown
< Open the notification => The app shows what it is about
* Send an order on its way => A notification comes within a minute
* Lower the price of an article on the wish list => One notification comes
Leave a cart for a day => One reminder comes, and no second
Switch reminders off => None comes
* Sign out => No notification of the account comes any more
Send a notification at night => It comes in the morning
Open a notification of an article that is gone => A page says so
Sign in on two devices => Both get it, reading one removes the other
Get a notification while the app is open => It is shown inside the app
Send one with an emoji and a long text => It is cut at a word
Change the language => The next notification is in that language
Uninstall the app => The service stops sending

# App > Offline | Mobile | Android | mobile,release-5
^ The app was used online before.
> Switch the network off => A bar says that there is no network
< Switch the network on => The bar goes, and what was done is sent
Open an article that was seen before => It is shown with the time of the data
Open an article that was not seen => The page says what is missing
Put an article into the cart => It is marked as not sent
Change a quantity in the cart => The change is sent later
Sell the article out meanwhile => The cart names it when the network is back
Go to checkout => The app asks to wait for the network
Open the wish list => It can be read
Search for an article => Only the seen ones are searched, and it says so
Lose the network while an order is sent => There is one order at most
Stay offline for eight days => The data is marked as old
Open an invoice that was downloaded => It opens
Switch between Wi-Fi and mobile data => Nothing is loaded twice
`;
